package dev.colony.agent.hook;

import java.util.List;
import java.util.concurrent.Callable;

/** The hooks of one agent. Thread-safe. */
public interface HookRegistry {

  /** No hooks, and none can be added. */
  HookRegistry NONE =
      new HookRegistry() {
        @Override
        public void add(AgentHook hook) {
          throw new UnsupportedOperationException("no hooks here");
        }

        @Override
        public <T> T call(HookContext call, Callable<T> method) throws Exception {
          return method.call();
        }

        @Override
        public List<AgentHook> hooks() {
          return List.of();
        }
      };

  void add(AgentHook hook);

  /** Calls a method through the hooks whose pointcuts match, in the order of their priority. */
  <T> T call(HookContext call, Callable<T> method) throws Exception;

  /** In the order in which they are called. */
  List<AgentHook> hooks();
}
