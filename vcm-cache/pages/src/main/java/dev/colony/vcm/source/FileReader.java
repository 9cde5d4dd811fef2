package dev.colony.vcm.source;

import dev.colony.vcm.settings.SourceSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Reads single files and tells text from everything else. Thread-safe. */
final class FileReader {

  sealed interface Outcome {}

  record Text(String text) implements Outcome {}

  record Empty() implements Outcome {}

  record Binary() implements Outcome {}

  record Oversized() implements Outcome {}

  record Unreadable() implements Outcome {}

  /** The limit on the text of all files together is reached. */
  record SourceFull() implements Outcome {}

  private final SourceSettings settings;
  private final FileContent content;
  private final AtomicLong totalBytes = new AtomicLong();

  FileReader(SourceSettings settings, FileContent content) {
    this.settings = settings;
    this.content = content;
  }

  Outcome read(Path file) {
    if (totalBytes.get() > settings.maxTotalBytes()) {
      return new SourceFull();
    }
    byte[] bytes;
    try {
      bytes = content.read(file, Math.toIntExact(settings.maxFileBytes() + 1));
    } catch (IOException failure) {
      return new Unreadable();
    }
    if (bytes.length == 0) {
      return new Empty();
    }
    if (bytes.length > settings.maxFileBytes()) {
      return new Oversized();
    }
    Outcome outcome = text(bytes);
    return outcome instanceof Text && totalBytes.addAndGet(bytes.length) > settings.maxTotalBytes()
        ? new SourceFull()
        : outcome;
  }

  private Outcome text(byte[] bytes) {
    int lineStart = 0;
    boolean longLine = false;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        return new Binary();
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
      return new Binary();
    }
    return longLine && hasLongLine(text) ? new Oversized() : new Text(text);
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
}
