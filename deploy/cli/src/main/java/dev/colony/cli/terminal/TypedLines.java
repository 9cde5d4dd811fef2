package dev.colony.cli.terminal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** Lines of standard input, one after the other; at a terminal with editing and a history. */
public abstract sealed class TypedLines implements AutoCloseable {

  private static final String PROMPT = "> ";

  private TypedLines() {}

  /**
   * Those of this process.
   *
   * @param history where lines that are typed at a terminal are kept
   * @param most how many of them; 0 keeps none
   */
  public static TypedLines standardInput(Path history, int most) {
    if (!Boolean.getBoolean("colony.terminal.input")) {
      return new Piped(System.in);
    }
    try {
      Terminal terminal = TerminalBuilder.builder().system(true).nativeSignals(false).build();
      if (terminal.getWidth() == 0) {
        // It does not say its size, and the library would show dots in place of what is typed.
        terminal.setSize(new Size(80, 24));
      }
      // Else the library has the system end the JVM at Ctrl-C, without its hooks, once a line has
      // been typed.
      terminal.handle(Terminal.Signal.INT, interrupt -> OnExit.interrupt());
      return new Edited(terminal, history, most);
    } catch (IOException unusable) {
      return new Piped(System.in);
    }
  }

  /** The next one; empty at the end of the input. Ctrl-C ends the process, as elsewhere. */
  public abstract Optional<String> next();

  @Override
  public abstract void close();

  static final class Piped extends TypedLines {

    private static final int MOST_CHARS = 1 << 20;

    private final BufferedReader lines;

    Piped(InputStream in) {
      lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    @Override
    public Optional<String> next() {
      try {
        StringBuilder line = new StringBuilder();
        int next = lines.read();
        boolean ended = next < 0;
        while (next >= 0 && next != '\n') {
          if (line.length() == MOST_CHARS) {
            throw new IOException("a line has more than " + MOST_CHARS + " characters");
          }
          line.append((char) next);
          next = lines.read();
        }
        return ended ? Optional.empty() : Optional.of(line.toString().replaceFirst("\r$", ""));
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }

    /** Standard input is the process's. */
    @Override
    public void close() {}
  }

  static final class Edited extends TypedLines {

    private final Terminal terminal;
    private final LineReader reader;

    Edited(Terminal terminal, Path history, int most) {
      this.terminal = terminal;
      this.reader =
          LineReaderBuilder.builder()
              .terminal(terminal)
              .appName("colony")
              .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
              .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
              .build();
      if (most > 0) {
        reader.setVariable(LineReader.HISTORY_FILE, history);
        reader.setVariable(LineReader.HISTORY_SIZE, most);
        reader.setVariable(LineReader.HISTORY_FILE_SIZE, most);
      }
    }

    @Override
    public Optional<String> next() {
      try {
        return Optional.of(reader.readLine(PROMPT));
      } catch (UserInterruptException interrupted) {
        OnExit.interrupt();
        return Optional.empty();
      } catch (EndOfFileException over) {
        return Optional.empty();
      }
    }

    @Override
    public void close() {
      try {
        terminal.close();
      } catch (IOException gone) {
        throw new UncheckedIOException(gone);
      }
    }
  }
}
