package dev.colony.agent.author;

import dev.colony.agent.author.AgentHook.HookContext;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The hooks of one agent. Thread-safe. It lives as long as the agent's capabilities do in memory:
 * with new capabilities comes a new registry with their hooks.
 */
public interface HookRegistry {

  /** No hooks, and none can be added. */
  HookRegistry NONE = new NoHooks();

  /**
   * Adds a hook. Calls under way are not changed.
   *
   * @throws IllegalStateException if the agent has a hook of that name, or as many as it may have
   */
  void add(AgentHook hook);

  /** Takes a hook out; false if there is none of that name. Calls under way are not changed. */
  boolean remove(String name);

  /** The same as the other {@code call}, for a join point that is known by its name only. */
  <T> T call(HookContext call, Callable<T> method) throws Exception;

  /**
   * Calls a method through the hooks whose pointcuts match. Where none matches, it costs little
   * more than the method itself.
   *
   * @param target whose method is called; its class and its capability's key are matched
   * @throws Exception what the method throws, as it is, or what a hook throws whose failures are
   *     the call's
   */
  default <T> T call(
      JoinPoint at, Agent agent, Object target, Callable<T> method, Object... arguments)
      throws Exception {
    List<Object> given = Collections.unmodifiableList(Arrays.asList(arguments));
    return call(new HookContext(agent, at.name(), target, given), method);
  }

  /** In the order of their layers, the outermost first. */
  List<AgentHook> hooks();

  /**
   * A capability whose hooks hang on its arguments: they are added when it is made, beside those of
   * its {@link Hook} methods, each under the capability's key, a dot and its own name.
   */
  interface HookSource {

    List<AgentHook> hooks();
  }

  /** The registry that is always empty. */
  static final class NoHooks implements HookRegistry {

    @Override
    public void add(AgentHook hook) {
      throw new IllegalStateException(
          "the hook " + hook.name() + " cannot be added: no hooks here");
    }

    @Override
    public boolean remove(String name) {
      return false;
    }

    @Override
    public <T> T call(HookContext call, Callable<T> method) throws Exception {
      return method.call();
    }

    @Override
    public List<AgentHook> hooks() {
      return List.of();
    }
  }
}
