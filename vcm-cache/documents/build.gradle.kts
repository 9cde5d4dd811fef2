dependencies {
    api(project(":vcm-cache:pages"))
    // of a newer version than POI asks for
    api(libs.commons.compress)
    api(libs.mime4j.core)
    api(libs.pdfbox)
    api(libs.poi.ooxml)
    api(libs.jsoup)
    testImplementation(libs.jgit)
    testImplementation(libs.logback.classic)
}
