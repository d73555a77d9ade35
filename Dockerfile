FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
COPY apps ./apps
# Exactly the locked versions, or no image. No package may run a script of its own.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# WhatsApp as a linked device (`mode: web`) needs libraries under the GPL-3.0. `yes` keeps them in the image.
ARG WHATSAPP_WEB=no
COPY scripts/dependency-graph.mjs scripts/remove-package.mjs ./scripts/
RUN if [ "$WHATSAPP_WEB" != yes ]; then node scripts/remove-package.mjs @whiskeysockets/baileys; fi

FROM node:24-bookworm-slim
# What commands run behind, and what they find there. `--build-arg PACKAGES="chromium python3"` adds Debian's packages: the
# browser needs chromium.
ARG PACKAGES=""
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap ca-certificates curl git ripgrep socat $PACKAGES \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production TALARIA_HOME=/var/lib/talaria NODE_COMPILE_CACHE=/app/.runtime/compile-cache
WORKDIR /app
RUN install -d -o node -g node -m 0700 /var/lib/talaria && install -d -o node -g node /app/.runtime
COPY --from=dependencies /app ./
COPY scripts/healthcheck.mjs ./scripts/healthcheck.mjs
COPY config ./config
COPY LICENSE NOTICE ./
USER node
# Compiled code, read by every process: with it none carries the type stripper.
RUN node --max-semi-space-size=2 --v8-pool-size=1 --expose-gc apps/cli/src/main.ts warm
VOLUME /var/lib/talaria
EXPOSE 7420
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "scripts/healthcheck.mjs"]
# Process 1 handles SIGTERM itself and drains.
ENTRYPOINT ["node", "--max-semi-space-size=2", "--v8-pool-size=1", "--expose-gc", "apps/cli/src/main.ts"]
CMD ["start"]
