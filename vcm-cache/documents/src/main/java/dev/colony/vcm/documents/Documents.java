package dev.colony.vcm.documents;

import dev.colony.vcm.source.DocumentReader;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceReading.FileText.Why;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pdfbox.pdmodel.encryption.InvalidPasswordException;
import org.apache.poi.EncryptedDocumentException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The texts of PDF and office documents, pages of HTML, notebooks and mail. What is cited can be
 * found in the document: each page of a PDF, cell of a notebook and message of a mailbox begins
 * with a line {@code [page N]}, {@code [cell N]}, {@code [message N]}; a line of a page of HTML is
 * that of its file.
 *
 * <p>A document is read on a thread of its own, for 30 seconds at most. A library that does not end
 * then is left to itself, with at most as many others as there are permits; further documents are
 * left out until one of them ends. Thread-safe.
 */
public final class Documents implements DocumentReader {

  /** Characters of a text; a document with more is left out. */
  static final int MOST_CHARS = 16 << 20;

  /** What a document unpacks to. */
  static final long MOST_UNPACKED_BYTES = 128L << 20;

  private static final Duration MOST_TIME = Duration.ofSeconds(30);
  private static final int MOST_AT_ONCE = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Documents.class);

  private static final Semaphore PERMITS = new Semaphore(MOST_AT_ONCE);

  private static final Map<String, Format> FORMATS =
      Map.ofEntries(
          Map.entry("pdf", PdfText::of),
          Map.entry("docx", OfficeText::of),
          Map.entry("xlsx", OfficeText::of),
          Map.entry("pptx", OfficeText::of),
          Map.entry("xls", OfficeText::of),
          Map.entry("html", HtmlText::of),
          Map.entry("htm", HtmlText::of),
          Map.entry("xhtml", HtmlText::of),
          Map.entry("ipynb", NotebookText::of),
          Map.entry("eml", MailText::message),
          Map.entry("mbox", MailText::mailbox));

  private final Map<String, Format> formats;
  private final Semaphore permits;
  private final Duration mostTime;

  /** With all formats. */
  public Documents() {
    this(FORMATS, PERMITS, MOST_TIME);
  }

  Documents(Map<String, Format> formats, Semaphore permits, Duration mostTime) {
    this.formats = formats;
    this.permits = permits;
    this.mostTime = mostTime;
  }

  /** Reads the text of a document of one kind. */
  @FunctionalInterface
  interface Format {

    /**
     * The text, with any ends of lines.
     *
     * @throws TooLarge if a bound is exceeded
     * @throws IOException if it is damaged, as other exceptions may say too
     */
    String text(byte[] document) throws IOException;
  }

  /** A document, or what it unpacks to, exceeds a bound. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public boolean reads(String path) {
    return formats.containsKey(ending(path));
  }

  private static String ending(String path) {
    return path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }

  @Override
  public FileText read(String path, byte[] document) {
    Format format = formats.get(ending(path));
    FutureTask<String> reading = new FutureTask<>(() -> text(format, document));
    try {
      if (!permits.tryAcquire(mostTime.toNanos(), TimeUnit.NANOSECONDS)) {
        return new FileText.Left(Why.SLOW);
      }
      Thread.ofPlatform()
          .daemon()
          .name("document-reader")
          .start(() -> {
            try {
              reading.run();
            } finally {
              permits.release();
            }
          });
      String text = reading.get(mostTime.toNanos(), TimeUnit.NANOSECONDS);
      return text.isBlank() ? new FileText.Left(Why.EMPTY) : new FileText.Text(text, text.length());
    } catch (TimeoutException slow) {
      reading.cancel(true);
      return new FileText.Left(Why.SLOW);
    } catch (InterruptedException stopped) {
      reading.cancel(true);
      Thread.currentThread().interrupt();
      return new FileText.Left(Why.UNREADABLE);
    } catch (ExecutionException failure) {
      LOG.debug("{} has no text that can be read", path, failure.getCause());
      return new FileText.Left(
          switch (failure.getCause()) {
            case TooLarge large -> Why.OVERSIZED;
            case InvalidPasswordException locked -> Why.ENCRYPTED;
            case EncryptedDocumentException locked -> Why.ENCRYPTED;
            // Also what a broken document makes of a library: no memory, no stack.
            case Throwable damaged -> Why.DAMAGED;
          });
    }
  }

  /** With line feeds between lines, and without other control characters but tabs. */
  private static String text(Format format, byte[] document) throws IOException {
    String text = format.text(document);
    if (text.length() > MOST_CHARS) {
      throw new TooLarge();
    }
    return text.replaceAll("\\r\\n?|[\\u000B\\f\\u0085\\u2028\\u2029]", "\n")
        .replaceAll("[\\p{Cc}&&[^\\n\\t]]", "");
  }
}
