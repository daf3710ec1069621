"""Where a job runs: this machine or YARN. What the two need before and at the start of a submission."""
