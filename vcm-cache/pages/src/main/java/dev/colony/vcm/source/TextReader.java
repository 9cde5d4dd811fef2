package dev.colony.vcm.source;

import dev.colony.vcm.source.SourceReading.FileText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads single files and tells text from everything else. Thread-safe. */
public final class TextReader {

  private final SourceSettings settings;
  private final FileContent content;

  /** Reads from the disk. */
  public TextReader(SourceSettings settings) {
    this(settings, FileContent.ON_DISK);
  }

  TextReader(SourceSettings settings, FileContent content) {
    this.settings = settings;
    this.content = content;
  }

  /** A file on the disk; blocks. */
  FileText read(Path file) {
    try {
      return of(content.read(file, mostBytes() + 1));
    } catch (IOException failure) {
      return new FileText.Left(FileText.Why.UNREADABLE);
    }
  }

  /** The size of the largest file that is let in. */
  public int mostBytes() {
    return Math.toIntExact(settings.maxFileBytes());
  }

  /**
   * The text that bytes are.
   *
   * @param bytes of a whole file, or more of it than {@link #mostBytes}
   */
  public FileText of(byte[] bytes) {
    if (bytes.length == 0) {
      return new FileText.Left(FileText.Why.EMPTY);
    }
    return bytes.length > settings.maxFileBytes()
        ? new FileText.Left(FileText.Why.OVERSIZED)
        : text(bytes);
  }

  private FileText text(byte[] bytes) {
    int lineStart = 0;
    boolean longLine = false;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        return new FileText.Left(FileText.Why.BINARY);
      }
      if (bytes[i] == '\n') {
        longLine |= i - lineStart > settings.maxLineChars();
        lineStart = i + 1;
      }
    }
    longLine |= bytes.length - lineStart > settings.maxLineChars();
    String text = new String(bytes, StandardCharsets.UTF_8);
    // The fast decoder puts U+FFFD where bytes are wrong; only then the strict one is asked.
    if (text.indexOf('\uFFFD') >= 0 && !valid(bytes)) {
      return new FileText.Left(FileText.Why.BINARY);
    }
    return longLine && hasLongLine(text)
        ? new FileText.Left(FileText.Why.OVERSIZED)
        : new FileText.Text(text, bytes.length);
  }

  private static boolean valid(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException wrong) {
      return false;
    }
  }

  private boolean hasLongLine(String text) {
    for (int start = 0, end; start < text.length(); start = end + 1) {
      end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      if (end - start > settings.maxLineChars()) {
        return true;
      }
    }
    return false;
  }

  /** The bytes of a file, at most so many of them. */
  @FunctionalInterface
  interface FileContent {

    FileContent ON_DISK =
        (file, limit) -> {
          try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(limit);
          }
        };

    byte[] read(Path file, int limit) throws IOException;
  }
}
