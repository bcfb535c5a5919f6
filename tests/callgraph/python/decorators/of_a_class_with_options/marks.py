def sealed(*args, deep=False):
    def decorator(cls):
        def describe(self):
            return cls, deep

        cls.describe = describe
        return cls

    if not args:
        return decorator
    return decorator(*args)
