package dev.colony.agent.child;

/**
 * While it is open, its agent only waits for others, which may have its place on the node; see
 * {@link dev.colony.agent.Agent#waiting}.
 */
@FunctionalInterface
public interface WhileWaiting extends AutoCloseable {

  /** For an agent that has no place. */
  WhileWaiting NOTHING = () -> {};

  /** The agent goes on. To be called once. */
  @Override
  void close();
}
