package com.acme.shop

import com.acme.money.Money
import kotlinx.coroutines.*
import com.acme.log.Logger as Log

const val MAX_ITEMS = 10
val defaults = mapOf("a" to 1)

typealias Prices = Map<String, Money>

/** A basket of a customer. */
@Serializable
data class Basket(
    val owner: String,
    private var items: List<Item> = emptyList(),
) : Aggregate(owner), Comparable<Basket>, Priced {

    val size: Int get() = items.size

    companion object {
        const val EMPTY = 0
        fun of(vararg items: Item): Basket = Basket("me", items.toList())
    }

    constructor(item: Item) : this("me", listOf(item))

    // Adds one item.
    internal suspend fun <T : Item> add(item: T, note: String = "a  b"): Basket? {
        if (items.size > MAX_ITEMS) return null
        for (each in items) {
            when (each.kind) {
                Kind.FREE -> Log.info("free")
                else -> while (false) retry()
            }
        }
        return copy(items = items + item).also(::audit)
    }

    override fun compareTo(other: Basket): Int = size.compareTo(other.size)

    private inner class Cursor(val at: Int)
}

interface Priced { fun price(): Money }

object Shop : Priced {
    override fun price() = Money(0)
}

enum class Kind(val label: String) { FREE("free"), PAID("paid") { override fun toString() = label } }

sealed class Result

fun String.toItem(quantity: Int): Item = Item(this, quantity)

fun <T> List<T>.second(): T = this[1]

fun audit(basket: Basket) {
    fun local() = basket.size
    basket.owner?.let { println(it) }
    local()
}

class BasketTest {
    @Test
    fun `adds an item`() { assertEquals(1, Basket.of("a".toItem(1)).size) }
}
