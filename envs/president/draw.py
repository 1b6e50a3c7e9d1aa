def draw(state, seat=None):
    raise NotImplementedError
