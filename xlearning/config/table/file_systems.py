"""Properties of file systems other than the cluster's own."""

from __future__ import annotations

from xlearning.config.schema import Family, Group, Kind, ignored, key

_K = Kind

OTHER_FILE_SYSTEMS = Group(
    "S3 and other file systems",
    (
        key("s3.cluster", _K.STRING, None,
            "Address of the S3 service, host:port or a URL; unset: fs.s3a.endpoint of core-site.xml, else "
            "AWS.", also=("fs.s3a.endpoint",)),
        key("s3.cluster.prefix", _K.STRING, "https://",
            "What stands before an address of the S3 service without a scheme; http:// for a service without "
            "TLS."),
        key("s3.key.access", _K.STRING, None,
            "Access key of S3; unset: fs.s3a.access.key of core-site.xml, else what the AWS libraries find.",
            also=("fs.s3a.access.key",)),
        key("s3.key.secret", _K.STRING, None, "Secret key of S3; never shown.", also=("fs.s3a.secret.key",)),
        key("s3.session.token", _K.STRING, None, "Session token of temporary keys; never shown.",
            also=("fs.s3a.session.token",)),
        key("s3.region", _K.STRING, None, "Region of the buckets.", also=("fs.s3a.endpoint.region",)),
        key("s3.path.style", _K.BOOL, None,
            "Name the bucket in the path, not in the host; unset: yes with an own address, no with AWS.",
            also=("fs.s3a.path.style.access",)),
        key("s3.part.size", _K.SIZE, "16M",
            "Size of a part of an upload, and what an open file keeps in memory; an object has at most "
            "10,000 parts.", low=5 * 2**20, high=5 * 2**30, also=("fs.s3a.multipart.size",)),
        key("s3.bucket.dir.split", _K.STRING, "/", "Hbox: what stands between bucket and prefix.",
            effect=ignored("a bucket and what is in it are written as s3a://BUCKET/PREFIX")),
        key("fs.hdfs.client", _K.ENUM, "NATIVE",
            "How hdfs:// and viewfs:// are reached: native, or libhdfs, which needs pyarrow, Java and "
            "Hadoop's jars on every node.", values=("NATIVE", "LIBHDFS")),
        key("fs.fsspec.schemes", _K.LIST, "",
            "Further schemes that are reached through fsspec, such as sftp,http."),
    ),
)  # fmt: skip

FSSPEC_OPTIONS = Family(
    "xlearning.fs.fsspec.",
    "Options of fsspec's file system, as xlearning.fs.fsspec.SCHEME.NAME.",
    ("hbox.fs.fsspec.",),
)
