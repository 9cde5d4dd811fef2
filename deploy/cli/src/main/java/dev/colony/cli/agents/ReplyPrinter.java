package dev.colony.cli.agents;

import dev.colony.agent.ReplyPart;
import dev.colony.cli.terminal.Printable;
import java.io.PrintStream;
import java.util.Optional;

/**
 * Prints texts that models write as they come, one call's at a time: another's only once that has
 * ended. Of reasoning and of JSON for programs it says how much there was. Thread-safe.
 */
public final class ReplyPrinter {

  private static final int CHARS_PER_TOKEN = 4;

  private final PrintStream out;
  private Optional<ReplyPart> current = Optional.empty();
  private long printed;
  private long reasoning;
  private boolean inLine;

  public ReplyPrinter(PrintStream out) {
    this.out = out;
  }

  /** Takes a part. */
  public synchronized void take(ReplyPart part) {
    if (current.isEmpty()) {
      if (part.kind() == ReplyPart.Kind.ENDED) {
        return;
      }
      begin(part);
    }
    ReplyPart shown = current.orElseThrow();
    if (!shown.call().equals(part.call())) {
      return;
    }
    if (!shown.asked().equals(part.asked())) {
      endLine();
      begin(part);
    }
    switch (part.kind()) {
      case ASKED -> {}
      case REASONING -> reasoning = part.index() + part.text().length();
      case TEXT -> text(part);
      case ENDED -> end(part);
    }
  }

  /** Ends the line that stands open, so that another may be printed. */
  public synchronized void endLine() {
    if (inLine) {
      out.println();
      inLine = false;
    }
  }

  private void begin(ReplyPart part) {
    current = Optional.of(part);
    printed = 0;
    reasoning = 0;
  }

  private void text(ReplyPart part) {
    if (!part.json()) {
      if (!inLine) {
        out.print(who(part));
      }
      if (part.index() > printed) {
        out.print("[...]");
      }
      out.print(Printable.lines(part.text()));
      out.flush();
      inLine = true;
    }
    printed = part.index() + part.text().length();
  }

  private void end(ReplyPart part) {
    endLine();
    if (reasoning > 0) {
      out.println(who(part) + "%d tokens of reasoning".formatted(reasoning / CHARS_PER_TOKEN));
    }
    if (part.json()) {
      out.println(who(part) + "%d tokens of JSON".formatted(part.index() / CHARS_PER_TOKEN));
    }
    current = Optional.empty();
  }

  private static String who(ReplyPart part) {
    return Printable.of("%s, %s: ".formatted(part.agent().name(), part.model()));
  }
}
