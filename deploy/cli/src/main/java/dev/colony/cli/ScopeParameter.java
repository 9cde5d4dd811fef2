package dev.colony.cli;

import dev.colony.blackboard.Scope;
import picocli.CommandLine.Parameters;

/** The scope that a command works on: its first word. */
final class ScopeParameter {

  @Parameters(index = "0", paramLabel = "SCOPE", converter = BoardWords.ScopePath.class)
  private Scope scope;

  Scope scope() {
    return scope;
  }
}
