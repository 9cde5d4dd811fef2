dependencies {
    api(project(":vcm-cache:pages"))
    // of a newer version than POI asks for
    api(libs.commons.compress)
    api(libs.pdfbox)
    api(libs.poi.ooxml)
    testImplementation(libs.logback.classic)
}
