import deep.down.here

deep.down.here.found()
