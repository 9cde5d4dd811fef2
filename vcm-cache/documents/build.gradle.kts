dependencies {
    api(project(":vcm-cache:pages"))
    api(libs.pdfbox)
    api(libs.poi.ooxml)
    testImplementation(libs.logback.classic)
}
