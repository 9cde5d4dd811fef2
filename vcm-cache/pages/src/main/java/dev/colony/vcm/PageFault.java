package dev.colony.vcm;

/** A page that was asked for is not stored anywhere. */
public final class PageFault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** It is not in the store. */
  public PageFault(PageId page) {
    this(page, "is not in the page store");
  }

  /**
   * It cannot be had for another reason.
   *
   * @param why as what follows the page's name
   */
  public PageFault(PageId page, String why) {
    super("page " + page + " " + why + ": map its source again");
  }
}
