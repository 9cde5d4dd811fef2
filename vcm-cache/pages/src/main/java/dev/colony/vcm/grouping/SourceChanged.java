package dev.colony.vcm.grouping;

/** A file of a source is no longer what it was when the source was mapped. */
public final class SourceChanged extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** In one line, which names the file. */
  public SourceChanged(String path) {
    super(path + ": the source changed while it was read: map it again");
  }
}
