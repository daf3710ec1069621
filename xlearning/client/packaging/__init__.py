"""XLearning's own package for the nodes of a cluster: made, kept, delivered."""
