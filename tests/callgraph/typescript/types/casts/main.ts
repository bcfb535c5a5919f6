class Dog {
  bark() {}
}
declare const thing: any;
(thing as Dog).bark();
thing!.bark;
