#!/bin/sh
# socat that ends with the process that has started it, however that ends. Where setpriv can't see to that, socat alone.
if setpriv --pdeathsig keep true 2>/dev/null; then
  exec setpriv --pdeathsig TERM socat "$@"
fi
exec socat "$@"
