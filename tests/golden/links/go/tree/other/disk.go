package other

func helper() {}

func Write() {}
