try:
    from fast import run
except ImportError:
    from slow import run

run()
