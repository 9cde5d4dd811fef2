package dev.colony.vcm.source;

import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.FileTreeWalk.FileStamp;
import dev.colony.vcm.source.SourceReading.FileText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One text: a file by its name, or what is piped to the caller. */
final class TextSource implements ContextPageSource {

  /** The name of what is piped, in the header lines of its pages. */
  static final String PIPED = "stdin";

  private final Path file;
  private final WatchSettings watching;
  private final TextReader reader;

  private TextSource(Path file, SourceSettings settings, WatchSettings watching) {
    this.file = file;
    this.watching = watching;
    this.reader = new TextReader(settings);
  }

  /** A file. */
  static ContextPageSource of(Path file, SourceSettings settings, WatchSettings watching) {
    return new TextSource(file, settings, watching);
  }

  /** What an input gives until it ends, read when the source is first read. */
  static ContextPageSource of(InputStream input, SourceSettings settings) {
    TextReader reader = new TextReader(settings);
    return new ContextPageSource() {
      private SourceReading reading;

      @Override
      public synchronized SourceReading read(SourceProgress progress) {
        if (reading == null) {
          reading = piped(input, reader);
        }
        return reading;
      }
    };
  }

  private static SourceReading piped(InputStream input, TextReader reader) {
    try {
      FileText text = reader.of(input.readNBytes(reader.mostBytes() + 1));
      return switch (text) {
        case FileText.Text whole ->
            new SourceReading.Read(PIPED, List.of(new SourceFile(PIPED, PIPED, () -> whole)));
        case FileText.Left left -> refused(PIPED, left.why());
      };
    } catch (IOException failure) {
      return refused(PIPED, FileText.Why.UNREADABLE);
    }
  }

  @Override
  public SourceReading read(SourceProgress progress) {
    if (Files.isDirectory(file)) {
      return new SourceReading.Refused("text:" + file + ": is a directory, leave out text:");
    }
    try {
      String stamp = FileStamp.of(FileStamp.attributes(file));
      return reader.read(file) instanceof FileText.Left left
          ? refused(file.toString(), left.why())
          : new SourceReading.Read(
              file.toString(),
              List.of(new SourceFile(name(), stamp, () -> reader.read(file))),
              List.of(),
              List.of(),
              CoChange.NONE,
              Optional.of("text:" + file.toAbsolutePath().normalize()));
    } catch (IOException failure) {
      return new SourceReading.Refused("text:" + file + ": no such file");
    }
  }

  private String name() {
    return file.getFileName().toString().replaceAll("\\p{Cntrl}", "?");
  }

  private static SourceReading refused(String name, FileText.Why why) {
    return new SourceReading.Refused(
        "text:%s: %s"
            .formatted(
                name,
                switch (why) {
                  case EMPTY -> "is empty";
                  case BINARY -> "is no text of an encoding that is known";
                  case OVERSIZED -> "is larger than colony.vcm.source.max-file-bytes";
                  case UNREADABLE -> "cannot be read";
                  case LFS_POINTER -> "is a pointer of Git LFS: fetch the file with git lfs pull";
                  case GENERATED -> "was written by a program";
                  case DAMAGED -> "is a broken document";
                  case ENCRYPTED -> "asks for a password: save it without one";
                  case SLOW -> "takes too long to read";
                }));
  }

  @Override
  public Optional<FileText> file(String path) {
    return path.equals(name()) ? Optional.of(reader.read(file)) : Optional.empty();
  }

  @Override
  public Optional<SourceWatch> watch(SourceWatch.Listener listener) {
    Path directory = file.toAbsolutePath().normalize().getParent();
    String name = file.getFileName().toString();
    SourceWatch.Listener only =
        new SourceWatch.Listener() {
          @Override
          public void changed(Set<String> paths) {
            if (paths.contains(name)) {
              listener.anything();
            }
          }

          @Override
          public void anything() {
            listener.anything();
          }
        };
    return Optional.of(TreeWatch.start(directory, below -> false, watching, only));
  }

  /** {@code text:PATH}, and {@code text:-} for what is piped. */
  public static final class Provider implements ContextPageSourceProvider {

    @Override
    public String scheme() {
      return "text";
    }

    @Override
    public String form() {
      return "text:FILE (- for standard input)";
    }

    @Override
    public ContextPageSource open(SourceSpec spec, SourceContext context) {
      SourceSettings settings = SourceSettings.fromConfig(context.config());
      if (spec.place().equals("-")) {
        return context
            .input()
            .map(input -> of(input, settings))
            .orElseThrow(
                () -> new IllegalArgumentException("text:-: nothing is piped here; give a file"));
      }
      if (spec.place().isEmpty()) {
        throw new IllegalArgumentException("text: names no file; write " + form());
      }
      return of(Path.of(spec.place()), settings, WatchSettings.USUAL);
    }
  }
}
