"""Bringing files of this machine to the cluster: what is there is never sent again."""
