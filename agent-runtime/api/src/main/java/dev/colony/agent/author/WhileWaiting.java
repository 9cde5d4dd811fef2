package dev.colony.agent.author;

/**
 * While it is open, its agent only waits for others, which may have its place on the node; see
 * {@link dev.colony.agent.author.Agent#waiting}.
 */
@FunctionalInterface
public interface WhileWaiting extends AutoCloseable {

  /** For an agent that has no place. */
  WhileWaiting NOTHING = () -> {};

  /** The agent goes on. To be called once. */
  @Override
  void close();
}
