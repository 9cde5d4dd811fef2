package dev.colony.agent.author;

import java.util.List;
import java.util.concurrent.Callable;

/** The registry that is always empty. */
final class NoHooks implements HookRegistry {

  @Override
  public void add(AgentHook hook) {
    throw new IllegalStateException("the hook " + hook.name() + " cannot be added: no hooks here");
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
