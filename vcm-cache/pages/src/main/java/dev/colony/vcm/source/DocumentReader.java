package dev.colony.vcm.source;

import dev.colony.vcm.source.SourceReading.FileText;

/**
 * Reads the texts of documents: of files that are no text by themselves, or whose text is better
 * read without its marks. Found by {@link java.util.ServiceLoader}, so that a tree holds documents
 * beside code; has a public constructor without parameters, and is thread-safe.
 */
public interface DocumentReader {

  /** Whether it reads files of such a name. */
  boolean reads(String path);

  /**
   * The text of a document, with line feeds between its lines. Equal documents have equal texts.
   * Blocks, for a bounded time, and follows nothing that a document refers to.
   *
   * @return what is left out, with the reason, for a document that is damaged or exceeds a bound
   */
  FileText read(String path, byte[] document);
}
