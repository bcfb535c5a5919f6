# A recollect server for a team; compose.yaml runs it with PostgreSQL. See docs/teams.md.
FROM python:3.12-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml README.md LICENSE NOTICE /build/
COPY src /build/src
RUN pip install --no-cache-dir '/build[postgres,teams]' && rm -rf /build \
    && useradd --create-home --uid 1000 recollect && install -d -m 700 -o recollect /data
USER recollect
ENV RECOLLECT_HOME=/data
VOLUME /data
EXPOSE 8377
HEALTHCHECK CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:8377/healthz', timeout=5)"
CMD ["recollect", "serve", "--http", "--host", "0.0.0.0", "--require-token"]
