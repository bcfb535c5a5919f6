package app

open class Base {
    fun stop() {}
}

fun helper() {}
