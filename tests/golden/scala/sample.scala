package com.acme.shop

import scala.collection.mutable.{Map, ListBuffer => Buffer, _}
import com.acme.money.Money

/** A basket of a customer.
  * Not thread safe.
  */
@deprecated
sealed abstract class Basket[T <: Item](val owner: String, size: Int = 0) extends Aggregate(owner) with Priced[T] {
  private val items = Buffer.empty[T]
  val MAX_ITEMS = 10
  type Id = String

  // Adds one item.
  def add[A <: T](item: A, note: String = "a  b")(implicit log: Log): Option[Basket[T]] = {
    if (items.size > MAX_ITEMS) None
    else {
      for (each <- items) each.kind match {
        case Free => log.info("free")
        case _ => while (false) retry()
      }
      items.append(item)
      Some(new Validator[T](this).check(audit))
    }
  }

  protected def audit: Int
  override def toString: String = s"basket of $owner"
}

trait Priced[T] { def price(item: T): Money }

object Basket extends Factory {
  val DEFAULT = apply("nobody")
  def apply(owner: String): Basket[Item] = create[Item](owner)
}

case class Item(name: String, cents: Long)
case object Free extends Kind

enum Color(val rgb: Int):
  case Red extends Color(1)
  case Green, Blue

extension (text: String)
  def toItem: Item = Item(text, 1)

given ordering: Ordering[Item] with
  def compare(a: Item, b: Item): Int = a.cents compare b.cents

def topLevel(x: Int) = x + 1

class BasketSuite extends FunSuite {
  test("starts empty") {
    assert(Basket("me").toString == "")
  }
}
