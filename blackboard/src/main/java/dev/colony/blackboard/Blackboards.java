package dev.colony.blackboard;

/** A backend that holds the scopes: opens blackboards on them and reads the inbox. */
public interface Blackboards extends AutoCloseable {

  /**
   * The blackboard of a scope; cheap, holds no resource of its own.
   *
   * @param writer who the writes through it are attributed to
   */
  Blackboard open(Scope scope, String writer);

  Inbox inbox();

  @Override
  void close();
}
