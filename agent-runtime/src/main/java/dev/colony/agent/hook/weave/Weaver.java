package dev.colony.agent.hook.weave;

/** Weaves hookable methods into capabilities and policies. Thread-safe. */
public final class Weaver {

  private Weaver() {}

  /**
   * Refuses a class that cannot be woven, or whose hook methods cannot be called. Cost: reflection
   * over the class and its supertypes; nothing is generated or instantiated.
   *
   * @throws IllegalStateException naming the class, the method and what to change, in one line
   */
  public static void check(Class<?> type) {
    HookableMethods.of(type);
  }
}
