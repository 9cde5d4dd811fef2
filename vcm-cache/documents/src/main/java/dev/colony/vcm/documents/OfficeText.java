package dev.colony.vcm.documents;

import dev.colony.vcm.documents.Documents.TooLarge;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.ZipInputStream;
import org.apache.poi.extractor.ExtractorFactory;
import org.apache.poi.extractor.POITextExtractor;

/**
 * The text of an office document, through POI: a paragraph, a row or a slide's text is a line.
 * Neither entities nor files from outside of the document are read.
 */
final class OfficeText {

  private static final int MOST_ENTRIES = 5_000;

  private OfficeText() {}

  static String of(byte[] document) throws IOException {
    checkUnpacked(document);
    try (POITextExtractor extractor =
        ExtractorFactory.createExtractor(new ByteArrayInputStream(document))) {
      return extractor.getText().strip();
    }
  }

  /** POI unpacks a document in memory. One that is no archive has nothing to unpack. */
  private static void checkUnpacked(byte[] document) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long unpacked = 0;
    try (ZipInputStream archive = new ZipInputStream(new ByteArrayInputStream(document))) {
      for (int entries = 1; archive.getNextEntry() != null; entries++) {
        for (int size = archive.read(buffer); size >= 0; size = archive.read(buffer)) {
          unpacked += size;
          if (unpacked > Documents.MOST_UNPACKED_BYTES || entries > MOST_ENTRIES) {
            throw new TooLarge();
          }
        }
      }
    }
  }
}
