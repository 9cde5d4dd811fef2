package dev.colony.vcm;

/** A page that was asked for is not stored anywhere. */
public final class PageFault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public PageFault(PageId page) {
    super("page " + page + " is not in the page store: map its source again");
  }
}
