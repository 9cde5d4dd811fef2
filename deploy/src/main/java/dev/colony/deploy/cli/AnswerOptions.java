package dev.colony.deploy.cli;

import picocli.CommandLine.Option;

/** A person's word on something that an agent asks for. */
final class AnswerOptions {

  @Option(
      names = "--by",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name}",
      description = "Who says so (default: ${DEFAULT-VALUE}).")
  private String by;

  @Option(names = "--note", paramLabel = "TEXT", description = "For the run, one line.")
  private String note = "";

  String by() {
    return by;
  }

  String note() {
    return note;
  }
}
