"""What `xl-submit` says to people, in their language: English in the code, Chinese from a catalogue."""
