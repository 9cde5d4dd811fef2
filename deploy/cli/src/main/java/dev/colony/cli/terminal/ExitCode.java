package dev.colony.cli.terminal;

/** What the process's exit status says. {@code docs/reference/commands.md} has the same table. */
public enum ExitCode {
  /** Done. */
  OK(0),
  /**
   * The command did its work, and what was asked for did not come about: the run ended without an
   * answer, nothing is up, the entry is not there or not at the expected version.
   */
  UNSUCCESSFUL(1),
  /** The command line or what it names cannot be used: mend it and call again. */
  BAD_INPUT(2),
  /** The state directory or a port is in use by another process. */
  IN_USE(3),
  /** The model server does not answer, or not as an OpenAI-compatible server does. */
  MODEL_UNAVAILABLE(4),
  /** Redis does not start or does not answer. */
  REDIS_UNAVAILABLE(5),
  /** A node did not start. */
  NODE_FAILED(6),
  /** A node has ended without being told to leave: the ERROR line in its log says why. */
  NODE_ENDED(7),
  /** A fault of ours: report it. */
  INTERNAL(70),
  /** Ctrl-C. */
  INTERRUPTED(130);

  private final int status;

  ExitCode(int status) {
    this.status = status;
  }

  public int status() {
    return status;
  }
}
