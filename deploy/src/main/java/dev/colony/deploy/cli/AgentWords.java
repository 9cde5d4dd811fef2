package dev.colony.deploy.cli;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Scope;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What the words of an agents command name; a word that names nothing is bad input. */
final class AgentWords {

  private AgentWords() {}

  /** For example {@code acme/billing/reviewer}. */
  static final class Id implements ITypeConverter<AgentId> {
    @Override
    public AgentId convert(String word) {
      try {
        return AgentId.parse(word);
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(bad.getMessage());
      }
    }
  }

  /** The name of a tenant or a colony. */
  static final class Name implements ITypeConverter<String> {
    @Override
    public String convert(String word) {
      try {
        return Scope.tenant(word).tenant();
      } catch (IllegalArgumentException bad) {
        throw new TypeConversionException(
            "a name is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not: " + word);
      }
    }
  }
}
