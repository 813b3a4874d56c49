# The App: web server and worker.
#   docker build --tag askfirst-app .
#   docker run --env-file app.env --publish 8000:8000 --volume askfirst:/data askfirst-app
#
# The base is pinned by its tag. It brings SQLite 3.46: with Python 3.12 or newer the durable engine needs 3.42. Who wants
# to pin harder adds the digest that `docker buildx imagetools inspect python:3.13-slim-trixie` prints.
FROM python:3.13-slim-trixie

# The release adds source, revision and version, which a file of the commit cannot know.
LABEL org.opencontainers.image.title="askfirst-app" \
      org.opencontainers.image.description="Ask the author, read the reply, start the run again." \
      org.opencontainers.image.licenses="Apache-2.0"

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONSAFEPATH=1 \
    PYTHONPATH=/srv/askfirst \
    ASKFIRST_HOST=0.0.0.0 \
    ASKFIRST_PORT=8000 \
    ASKFIRST_DATA_DIRECTORY=/data

RUN groupadd --system --gid 10001 askfirst \
 && useradd --system --uid 10001 --gid askfirst --no-create-home --shell /usr/sbin/nologin askfirst \
 && install --directory --owner askfirst --group askfirst /data

WORKDIR /srv/askfirst

# Only wheels, only what the lock file names: no compiler is needed, and none of the pipeline's dependencies come along.
COPY github_app/requirements.lock github_app/requirements.lock
RUN python -m pip install --no-cache-dir --require-hashes --only-binary :all: --requirement github_app/requirements.lock

COPY pipeline/__init__.py pipeline/__init__.py
COPY pipeline/contract pipeline/contract
COPY github_app github_app

# The console script, as an installer would write it. Operators call it: docker exec … askfirst-app stuck
RUN script="$(dirname "$(command -v python)")/askfirst-app" \
 && printf '#!/usr/bin/env python\nfrom github_app.cli import main\n\nmain()\n' > "$script" \
 && chmod 755 "$script"

USER 10001:10001
VOLUME /data
EXPOSE 8000

HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['ASKFIRST_PORT'] + '/healthz', timeout=4)"]

CMD ["askfirst-app", "serve"]
