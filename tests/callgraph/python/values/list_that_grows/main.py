hooks = []


def hook():
    pass


hooks.append(hook)

for each in hooks:
    each()
