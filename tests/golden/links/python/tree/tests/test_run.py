from app.run import run


def test_run():
    run()
