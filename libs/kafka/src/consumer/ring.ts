/** A place in a ring; it is in one ring at a time. */
export class RingPlace<T> {
  next: RingPlace<T> = this;
  previous: RingPlace<T> = this;

  constructor(readonly member: T) {}
}

/** Members that take turns. Every step is a few assignments, whatever their number, and makes nothing. */
export class Ring<T> {
  private first: RingPlace<T> | undefined;

  /** Whose turn it is. */
  get turn(): RingPlace<T> | undefined {
    return this.first;
  }

  /** Joins as the last whose turn comes. */
  append(place: RingPlace<T>): void {
    const { first } = this;
    if (first === undefined) {
      this.first = place;
      return;
    }
    place.next = first;
    place.previous = first.previous;
    first.previous.next = place;
    first.previous = place;
  }

  /** Whoever had the turn is the last now. */
  advance(): void {
    this.first = this.first?.next;
  }

  remove(place: RingPlace<T>): void {
    if (this.first === place) this.first = place.next === place ? undefined : place.next;
    place.previous.next = place.next;
    place.next.previous = place.previous;
    place.next = place;
    place.previous = place;
  }
}
