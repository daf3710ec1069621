"""Hadoop's Java classes as formats. The JVM lives in a helper process of our own."""
