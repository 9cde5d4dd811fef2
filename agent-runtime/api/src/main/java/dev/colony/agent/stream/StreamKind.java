package dev.colony.agent.stream;

/**
 * A kind of entries that streams can hold, beside events and actions. Found through {@link
 * java.util.ServiceLoader}; code that feeds such entries offers them to the streams like any other.
 */
public interface StreamKind {

  /** 1 to 64 characters of {@code [a-z0-9._-]}; stands in journaled entries and blueprints. */
  String name();

  /** What an entry of the kind is and what its content holds, for people. */
  String summary();
}
