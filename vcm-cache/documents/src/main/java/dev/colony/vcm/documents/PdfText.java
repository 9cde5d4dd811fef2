package dev.colony.vcm.documents;

import dev.colony.vcm.documents.Documents.TooLarge;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.contentstream.operator.Operator;
import org.apache.pdfbox.cos.COSBase;
import org.apache.pdfbox.io.IOUtils;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;

/** The text of a PDF, through PDFBox. Ends soon after its thread is interrupted. */
final class PdfText {

  private static final int MOST_PAGES = 5_000;

  /** Before a stream, in which its dictionary says what it is. */
  private static final int DICTIONARY_BYTES = 300;

  private static final byte[] STREAM = "stream".getBytes(StandardCharsets.US_ASCII);

  private PdfText() {}

  static String of(byte[] document) throws IOException {
    checkUnpacked(document);
    try (PDDocument pdf =
        Loader.loadPDF(document, "", null, null, IOUtils.createTempFileOnlyStreamCache())) {
      if (pdf.getNumberOfPages() > MOST_PAGES) {
        throw new TooLarge();
      }
      PDFTextStripper stripper =
          new PDFTextStripper() {
            @Override
            protected void processOperator(Operator operator, List<COSBase> operands)
                throws IOException {
              if (Thread.currentThread().isInterrupted()) {
                throw new IOException("stopped");
              }
              super.processOperator(operator, operands);
            }
          };
      stripper.setLineSeparator("\n");
      StringBuilder text = new StringBuilder();
      for (int page = 1; page <= pdf.getNumberOfPages(); page++) {
        stripper.setStartPage(page);
        stripper.setEndPage(page);
        String own = stripper.getText(pdf).strip();
        if (!own.isEmpty()) {
          text.append("[page ").append(page).append("]\n").append(own).append('\n');
        }
        if (text.length() > Documents.MOST_CHARS) {
          throw new TooLarge();
        }
      }
      return text.toString();
    }
  }

  /** PDFBox unpacks a stream in memory, whatever it comes to; pictures it does not unpack. */
  private static void checkUnpacked(byte[] document) throws TooLarge {
    byte[] buffer = new byte[1 << 16];
    long unpacked = 0;
    for (int at = next(document, 0); at >= 0; at = next(document, at + 1)) {
      String before =
          new String(
              document,
              Math.max(0, at - DICTIONARY_BYTES),
              Math.min(at, DICTIONARY_BYTES),
              StandardCharsets.ISO_8859_1);
      if (before.endsWith("end")
          || before.substring(before.lastIndexOf("obj") + 1).contains("/Image")) {
        continue;
      }
      int start = at + STREAM.length;
      while (start < document.length && (document[start] == '\r' || document[start] == '\n')) {
        start++;
      }
      Inflater inflater = new Inflater();
      try {
        inflater.setInput(document, start, document.length - start);
        for (int size = inflater.inflate(buffer); size > 0; size = inflater.inflate(buffer)) {
          unpacked += size;
          if (unpacked > Documents.MOST_UNPACKED_BYTES) {
            throw new TooLarge();
          }
        }
      } catch (DataFormatException otherwisePacked) {
        // PDFBox says what is wrong with it
      } finally {
        inflater.end();
      }
    }
  }

  private static int next(byte[] document, int from) {
    for (int at = from; at + STREAM.length <= document.length; at++) {
      if (document[at] == 's'
          && Arrays.equals(document, at, at + STREAM.length, STREAM, 0, STREAM.length)) {
        return at;
      }
    }
    return -1;
  }
}
