package dev.colony.node.entity;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Values of which equal ones are one object for as long as a reference holds it; it holds none itself,
 * so that it is as large as what is in use. For immutable values that many agents have in common.
 * Thread-safe.
 */
final class Interned<T> {

  private final Map<T, WeakReference<T>> known = new WeakHashMap<>();

  /** The one that is equal to this, which is this one if there was none. */
  synchronized T of(T value) {
    WeakReference<T> held = known.get(value);
    T same = held == null ? null : held.get();
    if (same == null) {
      known.put(value, new WeakReference<>(value));
      return value;
    }
    return same;
  }
}
