package dev.colony.agent.author;

/**
 * What a hook does. It runs on the caller's thread and may block for as long as its hook's timeout
 * allows; after an asynchronous call it runs on a virtual thread of its own.
 */
public sealed interface HookCode {

  /** Called before the method; the method is not called if this throws. */
  @FunctionalInterface
  non-sealed interface Before extends HookCode {
    void before(HookContext call) throws Exception;
  }

  /** Called when the method has ended; of an asynchronous method, when its stage has completed. */
  @FunctionalInterface
  non-sealed interface After extends HookCode {

    /**
     * @param result what the call gives; null if it failed
     * @param failure what it failed with; null if it did not fail
     */
    void after(HookContext call, Object result, Throwable failure) throws Exception;
  }

  /** Called in place of the method. */
  @FunctionalInterface
  non-sealed interface Around extends HookCode {

    /**
     * @return what the call is to give: what {@link Proceed#proceed} gave, or something else of its
     *     type; of an asynchronous method a stage
     */
    Object around(HookContext call, Proceed proceed) throws Exception;
  }

  /** The rest of a call, from an {@link Around} hook: the hooks within it, then the method. */
  @FunctionalInterface
  interface Proceed {

    /**
     * Goes on with the call, once more each time it is called. Its time is not the hook's.
     *
     * @throws Exception what the method throws, as it is
     */
    Object proceed() throws Exception;
  }
}
