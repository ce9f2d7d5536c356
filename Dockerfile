# The learner service in an image. `docker build -t littlestone .`, or `docker compose up` with PostgreSQL beside it.
FROM python:3.12-slim
COPY . /source
RUN pip install --no-cache-dir "/source[postgres]" && rm -r /source
# Kinds of learners that are compiled in the image; others are compiled when the first one is made.
ARG KINDS="tracker tsallis-inf linucb hedge online-linear"
RUN littlestone warm $KINDS
RUN mkdir /data && chown 65534 /data
USER 65534
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz', timeout=5)"]
CMD ["littlestone", "serve", "--data", "/data", "--host", "0.0.0.0"]
