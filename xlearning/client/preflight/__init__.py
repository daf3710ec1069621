"""What a cluster would refuse, told before anything is uploaded."""
