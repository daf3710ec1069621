"""Open MPI over the containers of a job: scripts that run in them, with the standard library alone.

`xlearning.frameworks.mpi` sends their text to the containers, since nothing of ours is where a program
runs. So they import nothing of ours but each other.
"""
