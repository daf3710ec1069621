"""Where S3 is and who asks: the job's properties, then Hadoop's ``fs.s3a.*``."""

from __future__ import annotations

from dataclasses import dataclass, field

from xlearning.config import Config
from xlearning.fs.hadoop_conf import HadoopConf

_PART = 16 * 2**20  # bytes


@dataclass(frozen=True)
class S3Settings:
    """What a client of S3 has to know. Secrets are not in its text form.

    Attributes
    ----------
    endpoint : str or None
        URL of the service; None: AWS.
    access, secret, token : str or None
        None: the AWS libraries look for credentials themselves.
    path_style : bool or None
        Whether buckets are named in the path, not in the host; None: the library's choice.
    part_size : int
        Bytes of a part of a multipart upload, and most of what an open file keeps in memory.
    """

    endpoint: str | None = None
    access: str | None = None
    secret: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    region: str | None = None
    path_style: bool | None = None
    part_size: int = _PART

    @classmethod
    def of(cls, config: Config | None, hadoop: HadoopConf, bucket: str = "") -> S3Settings:
        """What ``config`` says; what it leaves open ``core-site.xml`` says, first for ``bucket`` alone."""
        given = config or Config.from_properties({})

        def said_by_hadoop(name: str) -> str:
            return hadoop.get(f"fs.s3a.bucket.{bucket}.{name}") or hadoop.get(f"fs.s3a.{name}")

        address = given.get("xlearning.s3.cluster") or said_by_hadoop("endpoint")
        endpoint = _url(address, given.get("xlearning.s3.cluster.prefix")) if address else None
        style = given.get("xlearning.s3.path.style")
        if style is None:
            said = said_by_hadoop("path.style.access").lower()
            style = said == "true" if said else (True if endpoint else None)
        access, secret = given.get("xlearning.s3.key.access"), given.get("xlearning.s3.key.secret")
        token = given.get("xlearning.s3.session.token")
        if not access:
            access, secret = said_by_hadoop("access.key"), said_by_hadoop("secret.key")
            token = token or said_by_hadoop("session.token")
        return cls(
            endpoint=endpoint,
            access=access or None,
            secret=secret or None,
            token=token or None,
            region=given.get("xlearning.s3.region") or said_by_hadoop("endpoint.region") or None,
            path_style=style,
            part_size=given.get("xlearning.s3.part.size"),
        )


def _url(address: str, prefix: str) -> str:
    return address if "://" in address else f"{prefix}{address}"
