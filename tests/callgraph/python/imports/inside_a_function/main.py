def run():
    from parts.late import work as job

    job()


run()
