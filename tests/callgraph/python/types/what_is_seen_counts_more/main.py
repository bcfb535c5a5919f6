class Pet:
    def speak(self):
        pass


class Dog(Pet):
    def speak(self):
        pass


def hear(pet: Pet):
    pet.speak()


hear(Dog())
